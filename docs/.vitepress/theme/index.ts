// Without its fonts: pages are set in those of the documentation page (`fonts.css`).
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
