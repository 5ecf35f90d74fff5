import { createHmac, timingSafeEqual } from 'node:crypto';

/** The user of a valid token; undefined for any other. */
export const userIdOf = (secret: string, token: string): number | undefined => {
  const [head, payload, signature] = token.split('.');
  if (head === undefined || payload === undefined || signature === undefined) return undefined;
  const expected = createHmac('sha256', secret).update(`${head}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { user_id: number; exp: number };
  return claims.exp * 1000 <= Date.now() ? undefined : claims.user_id;
};
