export declare const requiredNode: string;
export declare function isFixed(version: string): boolean;
export declare function chooseNode(
  folders: readonly string[],
  host?: {
    readonly version: string;
    readonly platform: string;
    readonly arch: string;
    readonly path: string;
  },
): { readonly file?: string; readonly warning?: string; readonly refusal?: string };
