import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { startService } from '../support/service.ts';

/** Lines of 64 hex digits: every one of them may be a key. */
const digests = (count: number): string =>
  `${randomBytes(32 * count)
    .toString('hex')
    .replaceAll(/(.{64})/g, '$1\n')}`;

describeEachDatabase('100 MB of digests', (databases) => {
  it('100 MB of digests are scanned in at most ten seconds', { timeout: 120_000 }, async () => {
    await using service = await startService(databases);
    const { id, key } = await service.createKey(await service.createUser());
    const path = join(tmpdir(), `gatewright-digests-${process.pid}-${databases.dialect}`);
    onTestFinished(() => rm(path, { force: true }));
    const file = await open(path, 'w');
    for (let part = 0; part < 100; part += 1) await file.write(digests(15_400));
    await file.write(`${key}\n`);
    await file.close();
    const started = performance.now();
    const { status, stdout } = await run(['scan', path, '--json'], { env: service.env });
    const seconds = (performance.now() - started) / 1_000;
    process.stdout.write(`scan of 100 MB of digests on ${databases.dialect}: ${seconds.toFixed(1)} s\n`);
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { found: [{ id, line: 1_540_001 }] }]);
    expect(seconds).toBeLessThan(10);
  });
});
