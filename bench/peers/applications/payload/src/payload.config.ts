import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteAdapter } from '@payloadcms/db-sqlite';
import { buildConfig } from 'payload';
import { Products } from './collections/products';
import { Users } from './collections/users';

const folder = path.dirname(fileURLToPath(import.meta.url));

export default buildConfig({
  admin: { user: Users.slug, importMap: { baseDir: folder } },
  collections: [Users, Products],
  secret: process.env.PAYLOAD_SECRET || '',
  typescript: { outputFile: path.resolve(folder, 'payload-types.ts') },
  db: sqliteAdapter({ client: { url: process.env.DATABASE_URL || '' } }),
  telemetry: false,
  logger: { options: { level: 'warn' } },
});
