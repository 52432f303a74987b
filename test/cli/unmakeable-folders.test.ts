import { it } from 'vitest';
import { cleanEnvironment, expectEnd, runShell, temporaryFolder } from './run-cli.ts';

const push = `printf 'originId,name\\nP1,One\\n' | reviewctl products push - -c base-url=http://127.0.0.1:9`;

it.each([
  ['config set', 'REVIEWCTL_CONFIG_DIR', 'reviewctl config set rate 5'],
  ['config set', 'XDG_CONFIG_HOME', 'reviewctl config set rate 5'],
  ['profile use', 'REVIEWCTL_CONFIG_DIR', 'reviewctl profile use shop'],
  ['products push', 'REVIEWCTL_STATE_DIR', push],
  ['config set', 'HOME', 'reviewctl config set rate 5', ''],
])(
  '%s ends where %s names a folder that cannot be made',
  async (_, variable, line, value = '/proc/none/x') => {
    const { REVIEWCTL_CONFIG_DIR: _config, ...others } = cleanEnvironment(temporaryFolder());
    const env = { ...others, REVIEWCTL_TOKEN: 'token', [variable]: value };
    // `timeout` ends a command that hangs with exit code 124.
    expectEnd(
      await runShell(line.replace('reviewctl', 'timeout -k 1 30 reviewctl'), {
        env,
      }),
      2,
      value,
      /hint: .*REVIEWCTL_(?:CONFIG|STATE)_DIR/,
    );
  },
);
