import { fileURLToPath } from 'node:url';
import { build } from 'vite';

interface Bundle {
  readonly output: readonly { readonly type: string; readonly code?: string }[];
}

const client = (name: string): string => fileURLToPath(new URL(`../../client/${name}`, import.meta.url));

/** A page's script with everything that it needs in one file, as a developer's bundler makes it. */
export const bundlePage = async (
  page: URL,
  mode: 'development' | 'production' = 'development',
): Promise<string> => {
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    mode,
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    resolve: { alias: { 'gatewright/react-admin': client('react-admin/index.ts') } },
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      rollupOptions: { input: fileURLToPath(page), output: { codeSplitting: false } },
    },
  })) as Bundle | readonly Bundle[];
  const [first] = Array.isArray(built) ? (built as readonly Bundle[]) : [built as Bundle];
  const script = first?.output.find(({ type }) => type === 'chunk')?.code;
  if (script === undefined) throw new Error('nothing was bundled');
  return script;
};
