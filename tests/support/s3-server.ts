import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';

/** The Python of Debian, for which its packages are: another one may come first on the path. */
const python = '/usr/bin/python3';

/** True if this machine has Swift and memcached; `.ci/run` sees to it. */
export const hasS3Server =
  spawnSync(python, ['-c', 'import swift']).status === 0 && spawnSync('memcached', ['-V']).status === 0;

/** A real server of S3, with one bucket. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** The variables by which the official client finds its credentials. */
  readonly credentials: Readonly<Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>>;
  /** Names of all objects, those of unfinished uploads included. */
  names(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Starts OpenStack Swift with its S3 interface (`s3-server.py`). */
export const startS3Server = async (): Promise<S3Server> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-s3-'));
  const script = fileURLToPath(new URL('s3-server.py', import.meta.url));
  const server = spawn(python, [script, folder], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(server, 'exit');
  let port: string | undefined;
  for await (const line of createInterface({ input: server.stdout })) {
    port = line;
    break;
  }
  if (port === undefined) throw new Error('the server of S3 has not started');
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
  const client = new S3Client({
    region: 'us-east-1',
    endpoint,
    forcePathStyle: true,
    credentials: keys,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const bucket = 'files';
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    endpoint,
    bucket,
    region: 'us-east-1',
    credentials: { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey },
    names: async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
      return [...Contents, ...Uploads].flatMap(({ Key }) => Key ?? []);
    },
    close: async () => {
      client.destroy();
      server.stdin.end();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
