import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../http/endpoint.ts';
import { AnswerTimes, bounds, maxRoutes } from './answer-times.ts';

const endpoint = (path: string, method = 'GET') => ({ path, method }) as Endpoint;
const sent = (method: string, status: number, milliseconds: number, code?: number) => ({
  method,
  status,
  milliseconds,
  code,
  databaseMilliseconds: milliseconds / 2,
});
const countsOf = (times: AnswerTimes) =>
  [...times.routes].map(({ route, method, statuses }) => [route, method, Object.fromEntries(statuses)]);

describe('the times of answers', () => {
  it('the times of answers are counted by the route and the method of the endpoint, base path included', () => {
    const times = new AnswerTimes('/base');
    const observe = times.observerOf(endpoint('/api/v1/notes/:id'));
    observe(sent('GET', 200, 1));
    observe(sent('HEAD', 200, 1));
    observe(sent('GET', 404, 1));
    expect(countsOf(times)).toEqual([['/base/api/v1/notes/:id', 'GET', { 200: 2, 404: 1 }]]);
  });

  it('the times of answers count with the first bound that they keep', () => {
    const times = new AnswerTimes('');
    const observe = times.observerOf(endpoint('/'));
    for (const milliseconds of [0.2, 1, 1.001, 30_000, 30_001]) observe(sent('GET', 200, milliseconds));
    const [route] = times.routes;
    const expected = new Map<number | string, number>([
      [0.001, 2],
      [0.0025, 1],
      [30, 1],
      ['more', 1],
    ]);
    expect(
      [...(route?.durations.counts ?? [])].map((count, index) => [bounds[index] ?? 'more', count]),
    ).toEqual([...bounds, 'more'].map((bound) => [bound, expected.get(bound) ?? 0]));
    expect(route?.durations.total).toBeCloseTo(60_003.201, 6);
  });

  it('the times of answers that reach no endpoint are counted by known methods', () => {
    const times = new AnswerTimes('');
    const observe = times.observerOf(undefined);
    for (const method of ['GET', 'BREW', 'PROPFIND', 'OPTIONS']) observe(sent(method, 404, 1, 40401));
    expect(countsOf(times)).toEqual([
      ['unmatched', 'GET', { 404: 1 }],
      ['unmatched', 'other', { 404: 2 }],
      ['unmatched', 'OPTIONS', { 404: 1 }],
    ]);
  });

  it(`the times of answers of more than ${maxRoutes} routes are counted under one name, and none is lost`, () => {
    const times = new AnswerTimes('');
    const many = Array.from({ length: maxRoutes + 300 }, (_, index) =>
      times.observerOf(endpoint(`/${index}`)),
    );
    for (let round = 0; round < 2; round += 1) for (const observe of many) observe(sent('GET', 200, 1));
    times.observerOf(undefined)(sent('GET', 404, 1));
    const routes = countsOf(times);
    expect(routes).toHaveLength(maxRoutes + 1);
    expect(routes.at(-1)).toEqual(['other', 'other', { 200: 600, 404: 1 }]);
  });
});
