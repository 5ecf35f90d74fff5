import { openDatabase } from '../../../src/database/open.ts';

/** Writes rows without end, 32 at a time, and says which of them were acknowledged. */
const [, , url = ''] = process.argv;

const database = await openDatabase(url);
for (let next = 0; ; next += 32) {
  const numbers = Array.from({ length: 32 }, (_, index) => next + index);
  await Promise.all(
    numbers.map((number) =>
      // Half of them as units of two rows, which must come as a pair or not at all.
      number % 2 === 0
        ? database.execute({ sql: 'insert into single (n) values (?)', parameters: [number] })
        : database.write(async (transaction) => {
            await transaction.run({
              sql: 'insert into paired (n, part) values (?, 1)',
              parameters: [number],
            });
            await transaction.run({
              sql: 'insert into paired (n, part) values (?, 2)',
              parameters: [number],
            });
          }),
    ),
  );
  console.log(String(next + 31));
}
