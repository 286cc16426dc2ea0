// Counts what a browser draws of an SVG: what others refer to is drawn once for each of them, so a few lines can mean
// billions of shapes.
import { SaxesParser } from 'saxes'

type Shape = { refers: string[]; children: Shape[]; drawn?: number }

/** Undefined if it is no well-formed SVG. */
export function countDrawn(svg: string): number | undefined {
  const byId = new Map<string, Shape>()
  const root = readShapes(svg, byId)
  return root && count(root, byId)
}

function readShapes(svg: string, byId: Map<string, Shape>): Shape | undefined {
  const above: Shape = { refers: [], children: [] }
  const open = [above]
  const parser = new SaxesParser({ position: false, xmlns: false })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length === 1 && name !== 'svg') throw new Error('Another root')
    const refers = Object.values(attributes).flatMap(
      (value) => /^(?:url\(\s*["']?)?#([^"')]+)/.exec(value.trim())?.[1] ?? [],
    )
    const shape = { refers, children: [] }
    if (attributes.id) byId.set(attributes.id, shape)
    open.at(-1)?.children.push(shape)
    open.push(shape)
  })
  parser.on('closetag', () => open.pop())
  try {
    parser.write(svg).close()
  } catch {
    return undefined
  }
  return above.children[0]
}

function count(shape: Shape, byId: Map<string, Shape>): number {
  if (shape.drawn !== undefined) return shape.drawn
  // Until it is counted: what refers to itself is never drawn to its end.
  shape.drawn = Number.POSITIVE_INFINITY
  let drawn = 1
  for (const child of shape.children) drawn += count(child, byId)
  for (const id of shape.refers) {
    const referred = byId.get(id)
    if (referred) drawn += count(referred, byId)
  }
  shape.drawn = drawn
  return drawn
}
