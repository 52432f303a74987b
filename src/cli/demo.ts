import { defineCommand } from './command.ts';

export const demo = defineCommand({ flags: {}, examples: [], exitCodes: [], run: async () => 0 });
