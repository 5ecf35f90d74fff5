/** In the place of the writer of CSV that ra-core brings: see `export.tsx` for the one of these pages. */
const refuse = (): never => {
  throw new Error('lists are exported by parts/export.tsx');
};

// biome-ignore lint/style/noDefaultExport: ra-core imports it so
export default refuse;
