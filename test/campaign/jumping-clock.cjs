/*
 * Loaded before a program. Shifts its clock by the milliseconds in the file CLOCK_FILE, read at each call, so that the
 * clock jumps when the file is written.
 */
const { readFileSync } = require('node:fs');

const now = Date.now;
Date.now = () => now() + Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
