import { type HintText, reviewctl } from '../../../base/hint.ts';
import { findSetting, type SettingSources } from '../../../config/setting-sources.ts';

/** The command that settles, with flags for a payer where no setting has one. */
export function settleCommand(sources: SettingSources, ...flags: readonly string[]): HintText {
  const isSet = (name: string) => findSetting(sources, name) !== undefined;
  const payer = isSet('payerCommand') || isSet('payerUrl') ? [] : ['--payer-command', '/path/to/program'];
  return reviewctl`rewards settle ${[...flags, ...payer]}`;
}
