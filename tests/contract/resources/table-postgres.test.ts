import { playTable } from './play-table.ts';

playTable('postgres');
