// @ts-check
// The timeline of a day: dragging books, moves and lengthens, and arrow keys lead from cell to cell. Without this every
// free stretch is a link to a new booking, and every booking one to its page, where its times and its place are changed.
import { watchDragging } from './timeline-drag.js'
import { watchKeys } from './timeline-keys.js'
import { Saving } from './timeline-save.js'

const box = document.querySelector('[data-timeline]')
if (box instanceof HTMLElement) {
  const saving = new Saving(box)
  watchDragging(box, saving)
  watchKeys(saving)
}
