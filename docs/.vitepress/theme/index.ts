// Without fonts: pages are set in those of the system, and load none.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
