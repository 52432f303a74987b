import { describe, expect, it } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { jobState } from '../../src/contract/states.ts';

describe('a job', () => {
  it.each([
    [{ status: 'PENDING' }, 'pending'],
    [{ status: 'running' }, 'pending'],
    [{ status: null }, 'pending'],
    [{}, 'pending'],
    [{ status: 'PENDING', successObjectId: 'oi_1' }, 'succeeded'],
    [{ status: 'FAILED', successObjectId: 'oi_1', failureReason: null }, 'succeeded'],
    [{ status: 'PENDING', failureReason: 'no product' }, 'failed'],
    [{ status: 'PENDING', endedAt: '2019-08-24T14:15:24Z' }, 'failed'],
    [{ status: 'DONE' }, 'failed'],
    [{ successObjectId: '', failureReason: '' }, 'pending'],
  ] as const)('that says %j is %s', (job, state) => {
    expect(jobState(job, defaultAssumptions)).toBe(state);
  });

  it('is pending by the words of the setting', () => {
    expect(jobState({ status: 'WAITING' }, { pendingJobStatuses: ['WAITING'] })).toBe('pending');
    expect(jobState({ status: 'PENDING' }, { pendingJobStatuses: ['WAITING'] })).toBe('failed');
  });
});
