import { describe, expect, it } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { hasUnfamiliarStatus, jobState } from '../../src/contract/states.ts';

describe('a job', () => {
  it.each([
    [{ status: 'PENDING' }, 'pending'],
    [{ status: 'running' }, 'pending'],
    [{ status: null }, 'pending'],
    [{ status: 'PENDING', successObjectId: 'oi_1' }, 'succeeded'],
    [{ status: 'FAILED', successObjectId: 'oi_1', failureReason: null }, 'succeeded'],
    [{ status: 'PENDING', failureReason: 'no product' }, 'failed'],
    [{ status: 'PENDING', endedAt: '2019-08-24T14:15:24Z' }, 'unknown'],
    [{ status: 'QUEUED', endedAt: null }, 'pending'],
    [{ status: 'QUEUED', endedAt: '2019-08-24T14:15:24Z' }, 'unknown'],
    [{ status: 'success' }, 'succeeded'],
    [{ status: 'FAILURE' }, 'failed'],
    [{ status: 'SUCCESS', failureReason: 'no product' }, 'failed'],
    [{ successObjectId: '', failureReason: '' }, 'pending'],
  ] as const)('that says %j is %s', (job, state) => {
    expect(jobState(job, defaultAssumptions)).toBe(state);
  });

  it('has the state that the settings give its word, in any case of letters', () => {
    const taught = { ...defaultAssumptions, succeededJobStatuses: ['Done'], failedJobStatuses: ['Dead'] };
    expect(jobState({ status: 'DONE' }, taught)).toBe('succeeded');
    expect(jobState({ status: 'dead', endedAt: '2019-08-24T14:15:24Z' }, taught)).toBe('failed');
    expect(jobState({ status: 'FAILURE' }, taught)).toBe('pending');
  });

  it.each([
    [{ status: 'QUEUED' }, true],
    [{ status: 'pending' }, false],
    [{ status: 'SUCCESS' }, false],
    [{ status: 'FAILED' }, false],
    [{ status: null }, false],
    [{}, false],
  ])('that says %j has an unfamiliar status: %s', (job, isUnfamiliar) => {
    expect(hasUnfamiliarStatus(job, defaultAssumptions)).toBe(isUnfamiliar);
  });
});
