import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { PostroomError } from '../../src-main/contract/errors.ts';
import { ConnectionWatch } from '../../src-main/engine/connection.ts';

const lost = () => new PostroomError('unreachable', 'The database cannot be reached.');

describe('the way to the shop', () => {
  it('wakes who waits for the next try as soon as anybody found it back, and only then', () => {
    let told = 0;
    const watch = new ConnectionWatch(new EventEmitter(), () => {
      told += 1;
    });
    watch.worked(); // it never was away
    watch.failed(lost());
    const waiting = watch.returned;
    watch.failed(lost());
    expect(waiting.aborted).toBe(false);
    watch.worked();
    expect(waiting.aborted).toBe(true);
    expect(watch.cause).toBeNull();
    expect(told).toBe(1);
    // the next loss is waited for anew
    watch.failed(lost());
    expect(watch.returned.aborted).toBe(false);
  });

  it('waits longer with each failure, and from the start again after it was back', () => {
    const watch = new ConnectionWatch(new EventEmitter(), () => {});
    expect([1, 2, 3, 4, 5].map(() => watch.failed(lost()))).toEqual([500, 1000, 2000, 4000, 5000]);
    watch.worked();
    expect(watch.failed(lost())).toBe(500);
  });
});
