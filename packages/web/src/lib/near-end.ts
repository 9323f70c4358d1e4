/** A list that is scrolled to within this distance of its end counts as being at the end. */
export const END_PX = 48;
