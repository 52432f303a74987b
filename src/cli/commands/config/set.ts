import { commandWords } from '../../../base/command-words.ts';
import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { sentenceList } from '../../../base/sentence-list.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { findFolders } from '../../../config/folders.ts';
import { chosenProfile, readConfig, saveSettings, settingsOf } from '../../../config/profiles.ts';
import { withoutNoun } from '../../../config/setting-sources.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { pingTarget } from '../../runtime/ping-target.ts';
import { effectiveSetting, knownSetting, nounsByValue, settingValue } from '../../settings/known-setting.ts';
import { shownValue } from '../../settings/shown-setting.ts';

const { debug, profile } = connectionFlags;

export const command = defineCommand({
  argument: [
    {
      term: '<setting>',
      help: 'its name, such as rate, or orders.map for the commands of one noun',
    },
    { term: '[values...]', help: 'the new value' },
  ],
  flags: { profile, debug },
  acceptsInvalidSettings: true,
  examples: [
    'reviewctl config set base-url https://reviews.example.com --profile mall',
    'reviewctl config set production true',
    "reviewctl config set orders.map 'originId={Order No}-{n}' productOriginId=SKU",
  ],
  exitCodes: [9],
  run: async ({ args, context, flags, notices, program, sources }) => {
    const [key = '', ...words] = args;
    const folders = findFolders(context.env);
    const config = readConfig(folders);
    const name = chosenProfile(config, flags.profile);
    const table = await program.settingFlags();
    if (key === 'profile') {
      throw new Failure(
        'usage',
        'a profile cannot select a profile',
        reviewctl`profile use ${words[0] ?? 'NAME'}`,
      );
    }
    const setting = knownSetting(key, table);
    const value = settingValue(setting, words);
    await checkValue(withoutNoun(key), value);
    await saveSettings(folders, name, { [key]: value });
    const isNew = settingsOf(config, name) === undefined;
    const shown = [value].flat().map((part) => shownValue(key, part));
    notices.summary(`${isNew ? 'new ' : ''}profile ${name}: ${key} = ${shown.join(', ')}`);
    const { taking, refusing } = nounsByValue(setting, value);
    if (refusing.length > 0) {
      notices.warning(
        `some commands of ${sentenceList(refusing, 'and')} refuse it and end with exit code 2`,
        hint`to set it for one noun instead: ${reviewctl`config unset ${key}`}, then
          ${reviewctl`config set ${`${taking[0] ?? 'NOUN'}.${withoutNoun(key)}`} ${words}`}`,
      );
    }
    const stronger = effectiveSetting(key, { ...sources, flags: {}, overrides: {} });
    if (stronger !== undefined && stronger.origin !== 'profile') {
      notices.warning(
        `${stronger.place} overrides it`,
        hint`to see effective settings: ${reviewctl`config list`}`,
      );
    }
  },
});

/** @throws Failure for a value that every command would refuse: cron would read it much later. */
async function checkValue(name: string, value: ReturnType<typeof settingValue>): Promise<void> {
  const text = String(value);
  if (name === 'base-url') serviceUrl(text);
  if (name === 'payer-command' || name === 'payer-lookup-command') {
    const { payerCommandWords } = await import('../../../payer/payer-program.ts');
    payerCommandWords(text, name);
  }
  if (name === 'token-command') commandWords(text, name);
  if (name === 'ping') pingTarget(text);
  if (name === 'state') {
    const { parsePostgresUrl } = await import('../../../store/sql/postgres-address.ts');
    parsePostgresUrl(text, name);
  }
  if (name === 'payer-url') {
    const { payerUrl } = await import('../../../payer/http-payer.ts');
    payerUrl(text, name);
  }
}
