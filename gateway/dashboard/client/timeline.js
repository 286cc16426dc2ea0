// @ts-check
// The timeline of a day: dragging books, moves and resizes, and arrow keys move from cell to cell. Without
// this script, each free stretch is a link to a new booking, and each booking a link to its page, where its
// time and place can be changed.
import { watchDragging } from './timeline-drag.js'
import { watchKeys } from './timeline-keys.js'
import { Saving } from './timeline-save.js'

const box = document.querySelector('[data-timeline]')
if (box instanceof HTMLElement) {
  const saving = new Saving(box)
  watchDragging(box, saving)
  watchKeys(saving)
}
