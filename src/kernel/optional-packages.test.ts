import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { missingPackages } from './optional-packages.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatewright-optional-'));
const from = pathToFileURL(join(folder, 'node_modules/gatewright/dist/parts/service.js')).href;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const install = (place: string, name: string): void => {
  const target = join(folder, place, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), JSON.stringify({ name, exports: './index.js' }));
};

describe('packages that an application installs', () => {
  it('packages that are missing are named with the command that installs the tested versions', () => {
    mkdirSync(join(folder, 'node_modules/gatewright/dist/parts'), { recursive: true });
    expect(missingPackages(['pg'], from)).toBe('the package pg: npm install pg@8');
    expect(missingPackages(['openid-client', 'jose'], from)).toBe(
      'the packages openid-client and jose: npm install openid-client@6 jose@6',
    );
  });

  it('packages are found beside Gatewright, one by one', () => {
    install('.', 'openid-client');
    expect(missingPackages(['openid-client', 'jose'], from)).toBe('the package jose: npm install jose@6');
    install('.', 'jose');
    expect(missingPackages(['openid-client', 'jose'], from)).toBeUndefined();
  });

  it('packages are not looked for in the folder in which a command runs', () => {
    install('elsewhere', 'pg');
    const before = process.cwd();
    process.chdir(join(folder, 'elsewhere'));
    try {
      expect(missingPackages(['pg'], from)).toMatch(/npm install pg/);
    } finally {
      process.chdir(before);
    }
  });

  it('optional packages are installed in a checkout, for its tests', () => {
    expect(missingPackages(['jose', 'nodemailer', 'openid-client', 'pg', 'prom-client'])).toBeUndefined();
  });
});
