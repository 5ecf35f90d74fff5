import { renameSync, statSync } from 'node:fs';
import { ask, timed } from './ask.ts';
import type { Instance, LogSink } from './instance.ts';
import type { Scenario, Siege } from './siege.ts';
import { halfBodies, hungUpLogins, searches, silent, unreadLists } from './strangers.ts';
import type { DatabaseName } from './world.ts';

const load: Scenario = {
  name: 'load alone',
  run: (siege) => siege.hold(2_000),
};

/** Milliseconds within which the caller must learn who he is, whatever strangers do, on a busy machine. */
const promptly = 3_000;

const answersPromptly = (siege: Siege): void =>
  siege.demand(siege.slowest < promptly, `/auth/me took ${Math.round(siege.slowest)} ms`);

const wholeList = async (siege: Siege): Promise<void> => {
  const { world } = siege;
  const { value, took } = await timed(async () =>
    ask('GET', `${world.first.origin}/api/v1/notices`, { token: await world.token(), timeoutMs: 25_000 }),
  );
  const records = Array.isArray(value.data) ? value.data.length : 0;
  siege.demand(
    value.status === 200 && records === 6_000,
    `the whole list: ${value.status}, ${records} records`,
  );
  siege.demand(took < 20_000, `the whole list took ${Math.round(took)} ms`);
};

const readers: Scenario = {
  name: '40 strangers of 20 networks ask for a whole list and read nothing',
  run: async (siege) => {
    const crowd = unreadLists(siege.world.first, 40);
    await siege.hold(500);
    await wholeList(siege);
    answersPromptly(siege);
    crowd.leave();
  },
};

const bodies: Scenario = {
  name: '300 strangers send half of a body of 1 MB',
  run: async (siege) => {
    const { first } = siege.world;
    const before = first.resident;
    const crowd = halfBodies(first, 300);
    await siege.hold(2_500);
    const grown = Math.round(first.resident - before);
    siege.demand(grown < 100, `memory grew by ${grown} MB`);
    answersPromptly(siege);
    crowd.leave();
  },
};

const logins: Scenario = {
  name: '160 sign-ins of 20 networks hang up after 0.7 s',
  run: async (siege) => {
    const crowd = hungUpLogins(siege.world.first, 160);
    await siege.hold(800);
    const { took } = await timed(() => siege.world.login());
    siege.demand(took < promptly, `a right password took ${Math.round(took)} ms`);
    crowd.leave();
  },
};

const scans: Scenario = {
  name: '20 strangers search through everything without a pause',
  run: async (siege) => {
    const crowd = searches(siege.world.first, 20);
    await siege.hold(2_500);
    answersPromptly(siege);
    crowd.leave();
  },
};

const sinks: readonly LogSink[] = ['full disk', 'stalled pipe', 'nowhere'];

const kills: Scenario = {
  name: 'kill -9 three times; the log goes to a full disk, a stalled pipe, nowhere',
  run: async (siege) => {
    for (const sink of sinks) {
      for (const instance of siege.world.instances) {
        await siege.hold(200 + Math.random() * 400);
        await instance.end('SIGKILL');
        await instance.start(sink);
      }
      await siege.writesGoOn();
    }
  },
};

const code: Scenario = {
  name: 'a handler without an end, an unhandled rejection, a timer left behind',
  run: async (siege) => {
    const { first } = siege.world;
    const { value, took } = await timed(() => ask('GET', `${first.origin}/api/v1/stuck`));
    siege.demand(value.status === 503, `the endless handler was answered ${value.status}`);
    siege.demand(took < 8_000, `the endless handler took ${Math.round(took)} ms`);
    const careless = await ask('GET', `${first.origin}/api/v1/careless`);
    await siege.hold(300);
    siege.demand(careless.status === 200 && !first.ended, 'the process outlives a rejection');
    answersPromptly(siege);
  },
};

/** Behind `code`: the timer that its handler has left must not keep the process. */
const stops: Scenario = {
  name: 'SIGTERM under load, one instance after the other',
  run: async (siege) => {
    for (const instance of siege.world.instances) {
      const { value, took } = await timed(() => instance.end('SIGTERM'));
      siege.demand(value === 0, `it ended with ${value}: ${instance.errors}`);
      siege.demand(took < 13_000, `it took ${Math.round(took)} ms to end`);
      await instance.start();
      await siege.writesGoOn();
    }
  },
};

const hours = 3_600_000;

const clocks: Scenario = {
  name: 'the clock jumps: an hour on, two hours back, a day and an hour on',
  run: async (siege) => {
    const { world } = siege;
    for (const offset of [hours, -hours, 25 * hours, 0]) {
      for (const instance of world.instances) instance.shiftClock(offset);
      world.forgetToken();
      await siege.writesGoOn();
    }
  },
};

const neitherReadyNorWriting = async (siege: Siege, instance: Instance): Promise<void> => {
  await siege.until('?ready says no', 6_000, async () => !(await instance.healthy('?ready')));
  siege.demand(await instance.healthy(), 'the process answers all the same');
  const { origin } = instance;
  const read = await ask('GET', `${origin}/api/v1/entries?per_page=1`, { token: await siege.world.token() });
  siege.demand(read.status === 200, `a read was answered ${read.status}`);
};

const backAgain = (siege: Siege, instance: Instance): Promise<void> =>
  siege.until('?ready says yes again', 15_000, () => instance.healthy('?ready'));

const fullDisk: Scenario = {
  name: 'the disk is full, and has room again',
  run: async (siege) => {
    const { first } = siege.world;
    first.boundFiles(4_096);
    await neitherReadyNorWriting(siege, first);
    first.boundFiles(undefined);
    await backAgain(siege, first);
  },
};

/** True if a record can be written, asked beside the writers. */
const writes = async (siege: Siege, instance: Instance): Promise<boolean> =>
  ask('POST', `${instance.origin}/api/v1/notices`, {
    token: await siege.world.token(),
    body: { notice: { title: 'beside', published: false } },
  }).then(
    ({ status }) => status === 201,
    () => false,
  );

/**
 * Writes between the loss and its notice went into a file without a name. The writers are elsewhere for that
 * while: it is not the service that lost the file.
 */
const lostFile: Scenario = {
  name: 'the database file is moved away while the service runs',
  run: async (siege) => {
    const { first, file } = siege.world;
    const away = `${file}-away`;
    const parts = ['', '-wal', '-shm'];
    for (const part of parts) renameSync(file + part, away + part);
    await siege.until('writes are refused', 6_000, async () => !(await writes(siege, first)));
    await siege.until('?ready says no', 6_000, async () => !(await first.healthy('?ready')));
    await first.end('SIGKILL');
    const started = await first.start().then(
      () => true,
      () => false,
    );
    siege.demand(!started, 'a start without the database that was there is refused');
    await first.end('SIGKILL');
    for (const part of parts)
      if (statSync(away + part, { throwIfNoEntry: false }) !== undefined)
        renameSync(away + part, file + part);
    await first.start();
  },
};

const cuts: Scenario = {
  name: 'the connections to the database are reset five times',
  run: async (siege) => {
    for (let round = 0; round < 5; round += 1) {
      await siege.hold(300);
      siege.world.network?.cut();
    }
  },
};

const swallowed: Scenario = {
  name: 'the database does what it is asked, and its answer never arrives',
  run: async (siege) => {
    for (let round = 0; round < 5; round += 1) {
      await siege.hold(200);
      siege.world.network?.swallow(3);
    }
  },
};

const silence: Scenario = {
  name: 'the network to the database is silent for 3 s',
  run: async (siege) => {
    siege.world.network?.silence();
    await siege.hold(3_000);
    siege.demand(await siege.world.first.healthy(), 'the process answers all the same');
    siege.world.network?.restore();
    await backAgain(siege, siege.world.first);
  },
};

const crash: Scenario = {
  name: 'the database server crashes and is started again',
  run: async (siege) => {
    const { postgres, instances } = siege.world;
    await siege.hold(300);
    await postgres?.crash();
    await siege.until('?ready says no', 6_000, async () => !(await siege.world.first.healthy('?ready')));
    await postgres?.start();
    for (const instance of instances) await backAgain(siege, instance);
  },
};

const readOnly: Scenario = {
  name: 'the database is read-only for a while',
  run: async (siege) => {
    const { beneath, first } = siege.world;
    const set = async (value: 'on' | 'off'): Promise<void> => {
      await beneath.run(`alter system set default_transaction_read_only = ${value}`);
      await beneath.run('select pg_reload_conf()');
    };
    await set('on');
    await neitherReadyNorWriting(siege, first);
    await set('off');
    await backAgain(siege, first);
  },
};

const locked: Scenario = {
  name: 'a table is locked while strangers ask for it',
  run: async (siege) => {
    const { beneath, first } = siege.world;
    const lock = beneath.run(
      'do $$ begin lock table notices in access exclusive mode; perform pg_sleep(2.5); end $$',
    );
    const crowd = searches(first, 20);
    await lock;
    answersPromptly(siege);
    crowd.leave();
  },
};

const silentCrowd: Scenario = {
  name: '400 silent connections where 256 files may be open',
  run: async (siege) => {
    const { first } = siege.world;
    await first.end('SIGTERM');
    await first.start('nowhere', 256);
    const before = first.descriptors;
    const crowd = silent(first, 400);
    await siege.until('the silent ones are there', 5_000, () => first.descriptors > before + 50);
    await siege.until('somebody who asks is answered', 40_000, () => first.healthy());
    // Their own end of the connection does not matter: the service has let go of them.
    await siege.until('every silent one is cut', 40_000, () => first.descriptors < before + 20);
    crowd.leave();
    await first.end('SIGTERM');
    await first.start();
  },
};

const strangers = [readers, bodies, logins, scans];

const scenarios: Readonly<Record<DatabaseName, readonly Scenario[]>> = {
  sqlite: [load, ...strangers, code, stops, kills, clocks, fullDisk, lostFile],
  postgres: [
    load,
    ...strangers,
    locked,
    code,
    stops,
    kills,
    clocks,
    cuts,
    swallowed,
    silence,
    readOnly,
    crash,
  ],
};

/** The scenarios of a database's service, in order. `long` adds what takes more than a test run has. */
export const scenariosOf = (database: DatabaseName, long: boolean): readonly Scenario[] =>
  long ? [...scenarios[database], silentCrowd] : scenarios[database];
