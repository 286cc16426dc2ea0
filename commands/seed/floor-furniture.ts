// Draws the furniture of seeded floors as SVG. The colours are light, because pages invert floor plans in dark mode.

/** The size of a desk. Its proportions are those of a cell on the map (gateway/reads/map/map-layouts.ts). */
export const DESK = { width: 99, height: 48 }
/** How far a chair extends beyond its desk. */
export const CHAIR_DEPTH = 28

export type Box = { x: number; y: number; width: number; height: number }

export const COLOURS = {
  floor: '#faf8f3',
  carpet: '#f1eee5',
  room: '#eaf1f7',
  kitchen: '#fbf0dc',
  lounge: '#eef3e6',
  core: '#e9eaec',
  wall: '#4d5663',
  glass: '#9cc3de',
  line: '#a7adb5',
  wood: '#ead9bd',
  chair: '#b4bfca',
  sofa: '#c9d3bd',
  white: '#ffffff',
  asphalt: '#e3e4e6',
}

const round = (value: number) => Math.round(value * 10) / 10

type Look = { fill?: string; stroke?: string; width?: number; radius?: number }

export function drawBox(box: Box, { fill = 'none', stroke, width = 2, radius = 0 }: Look): string {
  const line = stroke ? ` stroke="${stroke}" stroke-width="${width}"` : ''
  const corner = radius ? ` rx="${radius}"` : ''
  return `<rect x="${round(box.x)}" y="${round(box.y)}" width="${round(box.width)}" height="${round(box.height)}"${corner} fill="${fill}"${line}/>`
}

export const drawPath = (d: string, stroke: string, width = 2) =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}"/>`

const drawCircle = (x: number, y: number, radius: number, fill: string) =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${radius}" fill="${fill}"/>`

const useAt = (id: string, x: number, y: number, turn = 0) =>
  `<use href="#${id}" transform="translate(${round(x)} ${round(y)})${turn ? ` rotate(${turn})` : ''}"/>`

const { wood, chair, sofa, line, white } = COLOURS
const centred = (width: number, height: number, x = 0, y = 0): Box => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
})

/**
 * Symbols that a floor uses many times: a desk with a chair below it, a chair, a plant, an armchair and a round table.
 */
export const FURNITURE = `<defs>
<g id="chair">${drawBox(centred(34, 24), { fill: chair, radius: 9 })}</g>
<g id="desk">${drawBox(centred(36, 30, 0, DESK.height / 2 + 12), { fill: chair, radius: 11 })}
${drawBox(centred(DESK.width, DESK.height), { fill: wood, stroke: '#cdb893', radius: 3 })}
${drawBox(centred(40, 6, 0, -12), { fill: '#7c8794', radius: 2 })}</g>
<g id="plant">${drawCircle(0, 0, 15, '#c8b79c')}${[0, 72, 144, 216, 288]
  .map((turn) => `<ellipse cx="0" cy="-11" rx="7" ry="12" fill="#93bd8a" transform="rotate(${turn})"/>`)
  .join('')}${drawCircle(0, 0, 5, '#7daa74')}</g>
<g id="armchair">${drawBox(centred(52, 48), { fill: sofa, radius: 14 })}${drawBox(centred(32, 32, 0, 5), { fill: '#dde5d3', radius: 8 })}</g>
<g id="table">${drawCircle(0, 0, 26, wood)}${drawCircle(0, 0, 20, '#f2e6d0')}</g>
</defs>`

export const drawDesk = (x: number, y: number, isFacingDown: boolean) =>
  useAt('desk', x, y, isFacingDown ? 180 : 0)

export const drawPlant = (x: number, y: number) => useAt('plant', x, y)

/** Draws a table with chairs on its long sides. */
export function drawMeetingTable({ x, y, width, height }: Box): string {
  const table = { x: x + width * 0.22, y: y + height * 0.32, width: width * 0.56, height: height * 0.36 }
  const seats = Math.max(2, Math.floor(table.width / 44))
  const chairs = Array.from({ length: seats }, (_, index) => {
    const at = table.x + ((index + 0.5) * table.width) / seats
    return useAt('chair', at, table.y - 6) + useAt('chair', at, table.y + table.height + 6)
  })
  return `${chairs.join('')}${drawBox(table, { fill: wood, stroke: '#cdb893', radius: 14 })}`
}

/** Draws a booth for calls, with an armchair and a shelf. */
export function drawBooth(box: Box): string {
  const shelf = { x: box.x + 16, y: box.y + 12, width: box.width - 32, height: 14 }
  return `${drawBox(box, { fill: COLOURS.room, stroke: COLOURS.wall, width: 4 })}${drawBox(shelf, { fill: wood, radius: 4 })}
${useAt('armchair', box.x + box.width / 2, box.y + box.height / 2 + 10)}`
}

/** Draws a counter with a sink, a hob and a fridge along the top, and two round tables. */
export function drawKitchen({ x, y, width, height }: Box): string {
  const counter = { x: x + 10, y: y + 10, width: width - 20, height: 38 }
  const tables = [0.3, 0.7].map((share) => {
    const [cx, cy] = [x + width * share, y + 50 + (height - 50) / 2]
    const chairs = [-40, 40].map((by) => useAt('chair', cx + by, cy, 90))
    return chairs.join('') + useAt('table', cx, cy)
  })
  const hobs = [0, 1].map((nth) => drawCircle(counter.x + 122 + nth * 24, counter.y + 19, 8, line))
  return `${drawBox(counter, { fill: white, stroke: line, radius: 4 })}
${drawBox({ x: counter.x + 46, y: counter.y + 8, width: 50, height: 22 }, { fill: COLOURS.room, stroke: line, radius: 6 })}
${hobs.join('')}${drawBox({ x: counter.x + counter.width - 42, y: counter.y, width: 42, height: 38 }, { fill: COLOURS.core, stroke: line })}
${tables.join('')}`
}

/** Draws a rug with a sofa, armchairs, a table and plants. */
export function drawLounge({ x, y, width, height }: Box): string {
  const [cx, cy] = [x + width / 2, y + height / 2]
  const rug = { x: cx - 105, y: cy - 62, width: 210, height: 124 }
  const seat = { x: cx - 60, y: cy - 72, width: 120, height: 46 }
  return `${drawBox(rug, { fill: '#e0e8d4', radius: 20 })}${drawBox(seat, { fill: sofa, radius: 14 })}
${drawBox({ ...seat, x: seat.x + 12, y: seat.y + 14, width: 96, height: 26 }, { fill: '#dde5d3', radius: 8 })}
${useAt('table', cx, cy + 8)}${useAt('armchair', cx - 78, cy + 20, -90)}${useAt('armchair', cx + 78, cy + 20, 90)}
${drawPlant(x + 24, y + 24)}${drawPlant(x + width - 24, y + height - 24)}`
}

/** Draws stairs, a lift and two toilets, side by side. */
export function drawCore({ x, y, width, height }: Box): string {
  const [stairs, lift, toilet] = [width * 0.36, width * 0.24, width * 0.4]
  const steps = Array.from({ length: 9 }, (_, index) => {
    const at = round(y + ((index + 1) * height) / 10)
    return `M${round(x)} ${at}h${round(stairs)}`
  })
  const middle = x + stairs / 2
  const cabin = { x: x + stairs + 14, y: y + height / 2 - 30, width: lift - 28, height: 60 }
  const toilets = [0, 1].map((nth) => {
    const room = { x: x + stairs + lift, y: y + (nth * height) / 2, width: toilet, height: height / 2 }
    const bowl = { x: room.x + room.width - 42, y: room.y + room.height / 2 - 14, width: 36, height: 28 }
    return `${drawBox(room, { fill: '#e6f0f2', stroke: COLOURS.wall, width: 4 })}${drawBox(bowl, { fill: white, stroke: line, radius: 13 })}
${drawBox({ x: room.x + 8, y: room.y + 8, width: 30, height: 20 }, { fill: white, stroke: line, radius: 6 })}`
  })
  return `${drawBox({ x, y, width, height }, { fill: COLOURS.core, stroke: COLOURS.wall, width: 4 })}
${drawPath(steps.join(''), line)}${drawPath(`M${round(middle)} ${round(y + height - 10)}V${round(y + 14)}m-8 10l8 -10l8 10`, '#7c8794', 3)}
${drawBox(cabin, { fill: white, stroke: line })}${drawPath(`M${round(cabin.x)} ${round(cabin.y)}l${round(cabin.width)} 60m0 -60l${round(-cabin.width)} 60`, line)}
${toilets.join('')}`
}
