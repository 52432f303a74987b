/*
 * Loaded before a program: its clock is off by as many milliseconds as the file CLOCK_FILE says at that moment, so that it jumps when
 * the file is written.
 */
const { readFileSync } = require('node:fs');

const now = Date.now;
Date.now = () => now() + Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
