import Box from '@mui/material/Box';
import { encode } from 'uqr';

interface QrCodeProps {
  readonly value: string;
  readonly label: string;
}

/** White modules around the code (ISO/IEC 18004), by which cameras find its edge. */
const quiet = 4;

/** SVG path with a square for each dark module. */
const squares = (data: readonly (readonly boolean[])[]): string =>
  data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : ''))).join('');

/** A QR code, dark on white in both themes, as cameras expect. */
export const QrCode = ({ value, label }: QrCodeProps) => {
  const { data, size } = encode(value, { ecc: 'M', border: 0 });
  const whole = size + 2 * quiet;
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${whole} ${whole}`}
      shapeRendering="crispEdges"
      sx={{
        width: 220,
        maxWidth: '100%',
        borderRadius: 1,
        justifySelf: 'center',
        border: 1,
        borderColor: 'divider',
      }}
    >
      <rect width={whole} height={whole} fill="#fff" />
      <path d={squares(data)} fill="#000" />
    </Box>
  );
};
