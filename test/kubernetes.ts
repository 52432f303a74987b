import { expect } from 'vitest';
import { exitCodes } from '../src/base/failure.ts';
import { commands } from '../src/cli/commands/commands.ts';

interface PodSpec {
  readonly containers: readonly { readonly securityContext: unknown }[];
}

interface FailureRule {
  readonly action: string;
  readonly onExitCodes?: { readonly values: readonly number[]; readonly containerName: string };
}

/** All exit codes of a command, including `further` ones. */
export async function codesOf(name: keyof typeof commands, further: readonly number[]) {
  const loaded = await commands[name]?.load();
  const codes = [1, 2, 130, 143, ...further, ...(loaded?.command.exitCodes ?? [])];
  return codes.toSorted((one, other) => one - other);
}

/** The action of a policy for each exit code. Expects exactly one for each of `codes`, and none for other codes. */
export function actionsOf(rules: readonly FailureRule[], container: string, codes: readonly number[]) {
  const byCode = rules.flatMap(({ action, onExitCodes }) =>
    (onExitCodes?.values ?? []).map((code) => [code, action] as const),
  );
  expect(byCode.map(([code]) => code).toSorted((one, other) => one - other)).toEqual(codes);
  expect(byCode.filter(([code]) => !Object.hasOwn(exitCodes, code))).toEqual([]);
  const named = rules.flatMap(({ onExitCodes }) => onExitCodes?.containerName ?? []);
  expect(new Set(named)).toEqual(new Set([container]));
  return Object.fromEntries(byCode);
}

/** Expects that a pod runs unprivileged and can write to its volumes only. */
export function seeUnprivileged(podSpec: PodSpec): void {
  expect(podSpec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  for (const { securityContext } of podSpec.containers)
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
}
