import * as z from 'zod';

/** Values that printed records have in common. */
export const count = z.int().nonnegative();
export const position = z.int().positive();
export const time = z.iso.datetime();
export const money = z
  .union([z.number(), z.string()])
  .describe(
    'an amount, as a number; a sum whose digits no 64-bit floating-point number holds is the same decimal as text',
  );
