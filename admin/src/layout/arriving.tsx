import { createContext, useContext } from 'react';
import { Waiting } from './waiting.tsx';

/** The part that the page itself shows before its scripts: the bar, the menu and a list without content. */
const drawn = document.querySelector('.arriving');

/** True within the bar and the menu. */
export const WithinFrame = createContext(false);

/** The placeholder of a page whose session is being checked: until there is a frame, the one of the page itself. */
export const Arriving = () =>
  useContext(WithinFrame) ? (
    <Waiting />
  ) : (
    <div
      ref={(place) => {
        if (drawn !== null) place?.replaceChildren(drawn.cloneNode(true));
      }}
    />
  );
