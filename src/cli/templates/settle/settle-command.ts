import { findSetting, type SettingSources } from '../../../config/setting-sources.ts';

/** The command that settles, with the flags that it lacks as long as no payer is set. */
export function settleCommand(sources: SettingSources, ...flags: readonly string[]): string {
  const payer =
    findSetting(sources, 'payer') === undefined
      ? ['--payer', 'exec', '--payer-command', '/path/to/program']
      : [];
  return ['reviewctl', 'rewards', 'settle', ...flags, ...payer].join(' ');
}
