import { existsSync } from 'node:fs';
import { Failure } from '../../base/failure.ts';
import { type Hint, type HintText, hint, reviewctl } from '../../base/hint.ts';
import { sentenceList } from '../../base/sentence-list.ts';
import { serviceUrl } from '../../client/open-service.ts';
import { accountOf } from '../../config/account.ts';
import { findFolders, profileStatePath } from '../../config/folders.ts';
import {
  chosenProfile,
  configPath,
  defaultProfileName,
  readConfig,
  saveSettings,
  useProfile,
} from '../../config/profiles.ts';
import { environmentName, findSetting } from '../../config/setting-sources.ts';
import {
  checkedToken,
  findToken,
  readTokenFile,
  setTokenVariables,
  tokenOfKey,
  typedTokenFile,
} from '../../config/token.ts';
import { alsoSettings, switchFlag, textFlag } from '../flags/flags.ts';
import { ledgerFlags } from '../flags/settle-flags.ts';
import { askFlags, connectionFlags, stateFlags } from '../flags/shared-flags.ts';
import { askHidden, askLine, canAsk } from '../runtime/ask.ts';
import { defineCommand, type Invocation } from '../runtime/command.ts';
import { openWith, serviceAddress } from '../runtime/session.ts';
import { learnService } from './learn-service.ts';

const { debug, profile, baseUrl, tokenFile, timeout, retries, rate, overloadStatus, assume } =
  connectionFlags;
const { ledger } = ledgerFlags;
const flags = {
  keyId: textFlag('ID', 'id of an access key; asks for its secret'),
  sameShop: switchFlag('a new credential of the same shop: keep its state'),
  ledger,
  ...stateFlags,
  profile,
  ...alsoSettings({ baseUrl }),
  tokenFile,
  noInput: askFlags.noInput,
  ...{ timeout, retries, rate, overloadStatus, assume, debug },
};
type LoginInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  flags,
  acceptsInvalidSettings: true,
  examples: [
    'reviewctl login --base-url https://reviews.example.com',
    'reviewctl login --profile mall --key-id ID',
    'pass show reviews | reviewctl login --profile mall',
    'reviewctl login --same-shop',
  ],
  exitCodes: [4, 5, 9, 12],
  run: async (invocation) => {
    const { context, flags: given, notices } = invocation;
    const folders = findFolders(context.env);
    const config = readConfig(folders);
    const name = chosenProfile(config, given.profile);
    const baseUrl = given.baseUrl ?? (await askAddress(invocation));
    const address = serviceAddress({ baseUrl }).href.replace(/\/$/, '');
    const kept = given.sameShop ? await credentialElsewhere(invocation) : undefined;
    const { keyId, sameShop } = given;
    const typed = [...(keyId ? ['--key-id', keyId] : []), ...(sameShop ? ['--same-shop'] : [])];
    const login = (to: string) => reviewctl`login --profile ${name} ${typed} --base-url ${to}`;
    const token = kept?.token ?? (await readCredential(invocation, login(address)));
    const count = await prove({ token, address, login }, invocation);
    if (given.sameShop) await continueShop(invocation, { token, address });
    if (kept !== undefined) {
      notices.summary(`${address} accepts the credential; it stays in ${kept.place}`);
      return;
    }
    await saveSettings(folders, name, { 'base-url': address, token });
    const hasService = Object.values(config.profiles).some((settings) => settings['base-url'] !== undefined);
    // A push without a profile may have stored a setting in the default one; only a person's own settings count there.
    // Sent records count as well: jobs without a profile would start again with the empty state of another one.
    const isUsed =
      existsSync(profileStatePath(folders, defaultProfileName)) ||
      Object.keys(config.profiles[defaultProfileName] ?? {}).some((set) => set !== 'product-key');
    const isFirst = name !== defaultProfileName && !hasService && !isUsed;
    if (isFirst) await useProfile(folders, name);
    notices.info(`${address} accepts the credential; it has ${count ?? 'some'} products`);
    notices.summary(`stored in profile ${name}: ${configPath(folders)}`);
    warnOfStronger(invocation, address);
    await learnService(invocation, {
      isNew: config.profiles[name]?.['base-url'] === undefined,
      open: (assume) => openWith(token, { ...invocation, flags: { ...given, baseUrl: address, assume } }),
      save: (learned) => saveSettings(folders, name, learned),
    });
    const isCurrent = isFirst || name === (config.current ?? defaultProfileName);
    notices.info(stepAfterLogin(name, isCurrent));
  },
});

/**
 * The credential that commands find in the environment, in a file or from a program, unless this call names another
 * one. Stored in the profile, it would be ignored or outlive its renewal.
 */
async function credentialElsewhere({ context, flags: given, sources }: LoginInvocation) {
  if (given.keyId !== undefined || typedTokenFile(sources) !== undefined) return undefined;
  const source = findSetting(sources, 'tokenFile') ?? findSetting(sources, 'tokenCommand');
  const isElsewhere = setTokenVariables(context.env).length > 0 || source !== undefined;
  return isElsewhere ? findToken(sources, context) : undefined;
}

/** Lets the state and the ledger continue with the credential, which the service has accepted. */
async function continueShop(
  invocation: LoginInvocation,
  { token, address }: Pick<Candidate, 'token' | 'address'>,
): Promise<void> {
  const { recordSameShop } = await import('./same-shop.ts');
  const flags = { ...invocation.flags, baseUrl: address };
  const places = await recordSameShop({ ...invocation, flags }, accountOf(token));
  invocation.notices.summary(
    places.length === 0
      ? 'nothing is recorded here with another credential'
      : `the credential is accepted for ${sentenceList(places, 'and')}`,
  );
}

/** Asks for the address; undefined if nobody can be asked. */
async function askAddress({ context, flags: given }: LoginInvocation): Promise<string | undefined> {
  if (given.noInput || !canAsk(context)) return undefined;
  const typed = await askLine('Address of the service (https://…):', context);
  return typed === '' ? undefined : typed;
}

function stepAfterLogin(name: string, isCurrent: boolean): HintText {
  return isCurrent
    ? hint`next, to see how a file is read: ${reviewctl`products inspect FILE`}; to check everything:
      ${reviewctl`doctor`}`
    : hint`next: add --profile ${name} to a command, or make it the default: ${reviewctl`profile use ${name}`}`;
}

/**
 * Reads the credential from the terminal or a pipe: a token, or the secret of `--key-id`. Of two lines, the first is
 * the key id and the second its secret. No flag takes either, because every user of the machine can read the flags of a
 * process.
 * @throws Failure('usage') if no credential is given and there is no terminal to ask; as `checkedToken`.
 */
async function readCredential(
  { context, flags: given, secrets, sources }: LoginInvocation,
  login: Hint,
): Promise<string> {
  const { keyId } = given;
  // Messages name the id, so a secret that was typed with it would go to logs.
  if (keyId?.includes(':')) {
    throw new Failure(
      'usage',
      '--key-id takes the id alone',
      'the secret is asked for, or read from standard input',
    );
  }
  const file = typedTokenFile(sources);
  const isAsked = file === undefined && canAsk(context) && !given.noInput;
  const what = keyId === undefined ? 'token' : `secret of key ${keyId}`;
  const path = file ?? '-';
  if (!isAsked && path === '-' && 'isTTY' in context.stdin && context.stdin.isTTY === true) {
    const way = hint`pipe it in: ${login} < FILE`;
    throw new Failure('usage', 'cannot ask for the credential without a terminal', way);
  }
  const text = isAsked
    ? await askHidden(`${what[0]?.toUpperCase()}${what.slice(1)} (not shown)`, context)
    : await readTokenFile(path, context, context.env);
  const lines = text.split(/\r?\n/).flatMap((line) => line.trim() || []);
  for (const line of lines) secrets.add(line);
  const [first, second] = lines;
  if (first === undefined || lines.length > (keyId === undefined ? 2 : 1)) {
    throw new Failure(
      'usage',
      first === undefined ? `no ${what} was given` : `the input has more than a ${what}`,
      hint`type it when asked, or pass only it on standard input: ${login} < FILE`,
    );
  }
  if (second !== undefined) return tokenOfKey(first, second);
  return keyId === undefined ? checkedToken(first, 'the input').token : tokenOfKey(keyId, first);
}

/** A credential to verify at an address, and the command to log in again. */
interface Candidate {
  readonly token: string;
  readonly address: string;
  readonly login: (address: string) => Hint;
}

/**
 * Requests one product from the service, and returns the number of its products.
 * @throws as the call; the message says that nothing was stored and how to try again.
 */
async function prove(candidate: Candidate, called: LoginInvocation): Promise<number | null | undefined> {
  const invocation = { ...called, flags: { ...called.flags, baseUrl: candidate.address } };
  const service = await openWith(candidate.token, invocation);
  // The id was typed as a flag, and the hint repeats it. Its secret and the token stay redacted.
  if (called.flags.keyId !== undefined)
    called.secrets.delete(Buffer.from(candidate.token, 'base64').toString());
  try {
    const { stopping } = called.context;
    const { value } = await service.api.call('listProducts', { query: { first: 1 } }, stopping);
    return value.totalCount;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { kind, message, place } = error;
    const remedy = remedyOf(error, candidate);
    throw new Failure(kind, `${message}; nothing was stored`, remedy, { ...place, cause: error });
  } finally {
    await service.close();
  }
}

function remedyOf({ kind, place, nextStep }: Failure, { address, login }: Candidate): HintText | undefined {
  if (kind === 'not-authenticated') return hint`to use the right one: ${login(address)}`;
  if (kind === 'unreachable' || kind === 'unreadable-reply')
    return hint`check the address; to try again: ${login(address)}`;
  const { origin, pathname } = new URL(address);
  if (place.status !== 404) return nextStep;
  return pathname === '/'
    ? hint`ask the operator of the service for its address, then: ${login('ADDRESS')}`
    : hint`the address is the part before /admin/v2; to try it without its path: ${login(origin)}`;
}

/** Warns of variables that override the stored credential. */
function warnOfStronger({ context: { env }, notices }: LoginInvocation, address: string): void {
  const variables = [...setTokenVariables(env)];
  const addressVariable = environmentName('baseUrl');
  const typed = env[addressVariable];
  if (typed && serviceUrl(typed).href !== serviceUrl(address).href) variables.push(addressVariable);
  for (const variable of variables) {
    notices.warning(`${variable} is set and overrides the stored credential`, `unset ${variable}`);
  }
}
