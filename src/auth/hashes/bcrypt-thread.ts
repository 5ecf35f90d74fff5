/** The thread that computes one bcrypt hash. */

import { parentPort, workerData } from 'node:worker_threads';
import { hashSync } from 'bcryptjs';
import type { BcryptWork } from './bcrypt.ts';

const { password, setting } = workerData as BcryptWork;
parentPort?.postMessage(hashSync(password, setting));
