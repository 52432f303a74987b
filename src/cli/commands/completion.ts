import { Failure } from '../../base/failure.ts';
import { writeOutput } from '../../output/terminal/streams.ts';
import { defineCommand } from '../runtime/command.ts';
import { completionScripts } from './completion-scripts.ts';

const shells = Object.keys(completionScripts) as readonly (keyof typeof completionScripts)[];

export const command = defineCommand({
  argument: { term: '<shell>', help: shells.join(', '), choices: shells },
  flags: {},
  examples: [
    'source <(reviewctl completion bash)',
    'reviewctl completion bash > ~/.local/share/bash-completion/completions/reviewctl',
    'reviewctl completion zsh > /usr/local/share/zsh/site-functions/_reviewctl',
    'reviewctl completion fish > ~/.config/fish/completions/reviewctl.fish',
  ],
  run: async ({ context, args: [word = ''] }) => {
    const shell = shells.find((name) => name === word);
    if (shell === undefined) throw unknownShell(word);
    await writeOutput(context.streams, completionScripts[shell]);
  },
});

function unknownShell(word: string): Failure {
  // No guess: a name of four letters is close to every other, and tcsh is not a misspelt bash.
  return new Failure('usage', `no completion for shell '${word}'`, `available for ${shells.join(', ')}`);
}
