import { describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

describeEachDatabase('GET /api/v1/health', (databases) => {
  const service = useService(databases);

  describe('200', () => {
    it.each(['/api/v1/health', '/api/v1/health?ready', '/api/v1/health?ready=1&x'])(
      'GET %s is 200 while the service works',
      async (path) => {
        const { status, text } = await service.get(path);
        expect([status, text]).toEqual([200, '{"code":0,"message":"操作成功","data":{"status":"ok"}}']);
      },
    );

    it('the health endpoint is open to credentials that are no good', async () => {
      expect((await service.get('/api/v1/health', { token: 'x', key: 'y' })).status).toBe(200);
    });
  });
});
