import { type RefObject, useEffect, useRef, useState } from 'react';

/** The width of an element in CSS pixels, as it is and as it becomes. */
export const useWidth = <Kind extends Element>(first: number): [RefObject<Kind | null>, number] => {
  const element = useRef<Kind>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidth(entry.contentRect.width);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
};
