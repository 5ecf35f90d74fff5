import { describe, expect, it } from 'vitest';
import { prefers } from './list-endpoint.ts';

describe('content negotiation', () => {
  it.each([
    'text/csv',
    'TEXT/CSV',
    'text/csv; charset=utf-8; header=present',
    'text/*',
    'text/csv, */*',
    'text/csv, application/json',
    'text/csv, */*;q=0.8',
    'application/json;q=0.5, text/csv;q=0.9',
    'text/csv;q=0.001',
    'application/json;q=0, */*',
    'text/csv , application/xml',
  ])('%s asks for CSV', (accept) => {
    expect(prefers(accept, 'text/csv', 'application/json')).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/*',
    'application/json, text/csv',
    'application/json, text/plain, */*',
    'text/csv;q=0',
    'text/csv;q=0, */*',
    'text/csv;q=0.5, application/json',
    'text/csv;q=2',
    'text/csv;q=high',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    'text/csvx',
    'application/xml',
    ',;,',
  ])('%s does not', (accept) => {
    expect(prefers(accept, 'text/csv', 'application/json')).toBe(false);
  });
});
