/** Statements that fill the tables of `bench/teams`: users who are members of three of many teams, and tasks. */

import { numbers } from './place.ts';

interface Amounts {
  readonly tasks: number;
  /** Teams, and as many users with ids from 2 on. */
  readonly teams: number;
  /** Tables of tasks. */
  readonly tables: readonly string[];
}

/** Tasks are spread over the teams, one in 20,000 is public, and each user has written a few. */
export const teamRows = ({ tasks, teams, tables }: Amounts, now: string): string[] => [
  `insert into users (username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
     ${numbers(teams)} select 'u' || i, 'u' || i, i || '@u.example', i || '@u.example', 'U', '-', ${now}, ${now} from n`,
  `insert into teams (name, created_at, updated_at) ${numbers(teams)} select 'Team ' || i, ${now}, ${now} from n`,
  `insert into projects (name, team_id, created_at, updated_at)
     ${numbers(teams * 2)} select 'Project ' || i, 1 + (i * 7) % ${teams}, ${now}, ${now} from n`,
  `insert into memberships (team_id, role, user_id, created_at, updated_at)
     ${numbers(teams * 3)} select 1 + (i * 7919 + i / ${teams} * 37) % ${teams}, 'reader', 2 + i % ${teams}, ${now}, ${now} from n`,
  ...tables.map(
    (table) => `insert into ${table} (title, visibility, team_id, project_id, user_id, created_at, updated_at)
     ${numbers(tasks)} select 'Task ' || i, case when i % 20000 = 0 then 'public' else 'team' end,
       1 + (i * 104729) % ${teams}, 1 + (i * 15485863) % ${teams * 2}, 2 + (i * 31) % ${teams}, ${now}, ${now} from n`,
  ),
];
