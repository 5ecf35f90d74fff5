import { expect, it } from 'vitest';
import { applicationPolicy } from '../../src/access/application-policy.ts';
import { changesBetween } from '../../src/access/changes.ts';
import { lockText, readLock } from '../../src/access/lock-file.ts';
import { createApplication } from '../../src/app/application.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { allOf, anyOf, equals, member, own, via } from '../../src/model/row-rule.ts';

const count = 100;

const inTeam = member('team_id', { of: 'Seat' });
const asOwner = member('team_id', { of: 'Seat', where: { role: ['owner', 'agent'] } });
const states = ['new', 'open', 'waiting', 'done'] as const;

/** Models with rules of a dozen conditions; those of the later version differ in each of them. */
const applicationOf = (later: boolean) =>
  createApplication({
    resources: [
      defineResource('Team', { fields: { name: field.string() } }),
      defineResource('Seat', {
        fields: {
          team: field.reference('Team', { required: true }),
          role: field.enum(['viewer', 'agent', 'owner'], { required: true }),
          user_id: field.owner(),
        },
        unique: [['user_id', 'team_id']],
      }),
      ...Array.from({ length: count }, (_, at) => {
        const parent = at % 4 === 0 ? 'Team' : `Thing${at - 1}`;
        const reads = anyOf(
          own(),
          asOwner,
          allOf(inTeam, equals('open', true), equals('state', states[at % 4] ?? 'new')),
          allOf(equals('open', false), anyOf(equals('state', 'done'), equals('state', 'new'))),
        );
        const more =
          at % 4 < 2 ? reads : anyOf(reads, via('parent', via('parent', later ? inTeam : asOwner)));
        return defineResource(`Thing${at}`, {
          fields: {
            team: field.reference('Team', { required: true }),
            parent: field.reference(parent, { required: true }),
            state: field.enum(states, { required: true }),
            open: field.boolean({ required: true }),
            note: field.text(),
            user_id: field.owner(),
          },
          isolation: {
            read: (later ? anyOf(equals('state', 'waiting'), more) : more) as never,
            write: (later ? anyOf(asOwner, own()) : anyOf(own(), asOwner, allOf(own(), inTeam))) as never,
          },
          views: { when: [[(later ? inTeam : asOwner) as never, ['note']]] },
          restricted: [{ fields: ['state'], unless: (later ? asOwner : inTeam) as never }],
        });
      }),
    ],
  });

const processorTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

it(`a check of ${count} models in which every rule has changed takes less than ten seconds of a processor`, () => {
  const before = lockText(applicationPolicy(applicationOf(false)));
  const started = processorTime();
  const after = applicationPolicy(applicationOf(true));
  const { conditions } = changesBetween(readLock(before), after);
  const took = processorTime() - started;
  const verdicts = conditions.filter(({ changed }) => changed).map(({ judgement }) => judgement.verdict);
  expect(verdicts.length).toBeGreaterThan(count * 8);
  expect(verdicts).not.toContain('undecided');
  expect(new Set(verdicts)).toEqual(new Set(['equal', 'wider', 'narrower']));
  expect(took).toBeLessThan(10_000);
});
