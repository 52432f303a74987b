import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { kebabCase } from '../../src/base/name-case.ts';
import { environmentName, findSetting, readProjectFile } from '../../src/config/setting-sources.ts';
import { fileWith, testFolder } from './folder.ts';

const profile = { name: 'shop', settings: { 'batch-size': 10 } };

const settingNames = async () => ['production', 'base-url', 'limit', 'set', 'fields', 'null-word', 'rate'];

/** The settings of a folder with this `reviewctl.json`. */
function readProject(content: unknown): Promise<JsonObject> {
  const folder = testFolder();
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  fileWith(text, { folder, name: 'reviewctl.json' });
  return readProjectFile(folder, settingNames);
}

describe('a setting', () => {
  const sources = {
    flags: { batchSize: '40' },
    env: { REVIEWCTL_BATCH_SIZE: '30' },
    project: { 'batch-size': 20 },
    profile,
  };

  it('comes from the flag before everything else', () => {
    const found = { value: '40', origin: 'flag', place: '--batch-size' };
    expect(findSetting(sources, 'batchSize')).toEqual(found);
  });

  it('that nobody set is undefined, also when every object has something of its name', () => {
    const sources = { flags: {}, env: {}, project: {}, profile };
    expect([findSetting(sources, 'rate'), findSetting(sources, 'constructor')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['batchSize', 'batch-size', 'REVIEWCTL_BATCH_SIZE'],
    ['rate', 'rate', 'REVIEWCTL_RATE'],
    ['maxAmountPerDay', 'max-amount-per-day', 'REVIEWCTL_MAX_AMOUNT_PER_DAY'],
  ])('%s is written %s and %s', (name, key, variable) => {
    expect([kebabCase(name), environmentName(name)]).toEqual([key, variable]);
  });
});

describe('a project file', () => {
  it('sets what a folder may set', async () => {
    const settings = {
      'batch-size': 50,
      'orders.map': ['id=Nr'],
      map: ['originId=No'],
      'time-zone': '+09:00',
      timeout: '10s',
    };
    expect(await readProject(settings)).toEqual(settings);
  });

  it.each([
    ['timezone', "did you mean 'time-zone'?"],
    ['batchSize', "did you mean 'batch-size'?"],
    ['base-url', 'remove it there and set it for yourself: reviewctl config set base-url …'],
    ['baseUrl', 'remove it there and set it for yourself: reviewctl config set base-url …'],
    ['reviews.limit', 'remove it there and set it for yourself: reviewctl config set reviews.limit …'],
    ['production', 'remove it there and set it for yourself: reviewctl config set production …'],
    ['profile', 'remove it there and choose one: reviewctl profile use NAME'],
    [
      'a-setting-of-later',
      'no command reads it, so remove it; settings that are read: reviewctl help settings',
    ],
    ['token', 'keep the credential with: reviewctl login'],
  ])('that sets %s is told where it belongs', async (key, advice) => {
    await expect(readProject({ [key]: 'canary' })).rejects.toMatchObject({
      hint: `${advice}; reviewctl.json may only set formats, mappings and request limits`,
    });
  });

  it('that is missing sets nothing', async () => {
    expect(await readProjectFile(testFolder(), settingNames)).toEqual({});
  });

  it.each([
    'profile',
    'base-url',
    'baseUrl',
    'token',
    'token-file',
    'tokenFile',
    'token-command',
    'tokenCommand',
    'payer',
    'payer-command',
    'payerUrl',
    'payer-header-file',
    'ledger',
    'ledger-file',
    'assume',
    'ping',
    'config-dir',
    'stateDir',
    'yes',
    'resend',
    'rejects',
    'not-sent',
    'production',
    'orders.base-url',
    'a-setting-of-later',
    'limit',
    'after',
    'fields',
    'set',
    'null-word',
    'orders.set',
  ])('never sets %s, whatever its value', async (key) => {
    await expect(readProject({ 'batch-size': 50, [key]: null })).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringMatching(`/reviewctl\\.json must not set '${key}'$`) as string,
    });
  });
});

describe('a damaged project file', () => {
  it.each([
    ['is no JSON', '{"token": canary}', '/reviewctl.json cannot be read: it is not JSON'],
    ['is cut', '{"rate":', '/reviewctl.json cannot be read: it is not JSON'],
    ['is a list', '[]', '/reviewctl.json must hold a JSON object of settings'],
    ['is a text', '"canary"', '/reviewctl.json must hold a JSON object of settings'],
  ])('that %s is refused without a word of what it holds', async (_, text, message) => {
    await expect(readProject(text)).rejects.toMatchObject({
      kind: 'config',
      exitCode: 2,
      message: expect.stringContaining(message) as string,
      hint: expect.not.stringContaining('canary') as string,
    });
  });

  it('that is a folder is refused', async () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'reviewctl.json'));
    await expect(readProjectFile(folder, settingNames)).rejects.toThrow(
      /reviewctl.json cannot be read: it is a folder, not a file/,
    );
  });
});
