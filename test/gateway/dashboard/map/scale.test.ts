// The size of the cells of a floor plan: most have room for it, and their text stays readable.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { layOutOnFloorPlan } from '../../../../gateway/api/livemap/map-layouts.ts'
import { canvasClass, layoutOf, scaleForMost } from '../../../../gateway/dashboard/map/canvas.ts'

const PICTURE = { address: '', width: 1_200, height: 800, orientation: 1 }
const LETTERS_UNITS = 15
const FLOOR_PLAN_UNITS = 1_200
const REM = 16
const READABLE_PX = 9

const inRows = (columns: number, rows: number) =>
  Array.from({ length: columns * rows }, (_, index) => ({
    id: index + 1,
    x: ((index % columns) + 0.5) / columns,
    y: (Math.floor(index / columns) + 0.5) / rows,
  }))

describe('the cells of a floor plan', () => {
  it('keep their size if two of them stand close together', () => {
    for (const columns of [2, 4, 8]) {
      const desks = inRows(columns, 3)
      const [first = expect.fail()] = desks
      const close = [...desks, { id: 999, x: first.x + 0.01, y: first.y }]
      expect(layoutOf(PICTURE, desks).scale, `${columns} columns`).to.equal(1)
      expect(layoutOf(PICTURE, close).scale, `${columns} columns`).to.equal(1)
      expect(layOutOnFloorPlan(PICTURE, close).scale, 'in the interface’s map none overlap').to.equal(0.3)
    }
    expect(
      layoutOf(
        PICTURE,
        inRows(2, 1).map(({ id }) => ({ id, x: 0.5, y: 0.5 })),
      ).scale,
    ).to.equal(1)
  })

  it('get smaller if most of them have less room', () => {
    const { scale } = layoutOf(PICTURE, inRows(16, 4))
    expect(scale).to.be.within(0.4, 0.6)
  })

  it('keep their size while an administrator positions them one by one', () => {
    for (const [columns, rows] of [
      [8, 5],
      [10, 10],
    ] as const) {
      const desks = inRows(columns, rows)
      const scales = [0, 1, 2, 5, desks.length - 1].map(
        (count) =>
          layoutOf(
            PICTURE,
            desks.map((desk, index) => (index < count ? desk : { ...desk, x: null, y: null })),
          ).scale,
      )
      expect(Math.max(...scales) - Math.min(...scales), `${columns} by ${rows}: ${scales}`).to.be.below(0.1)
    }
  })

  it('have readable letters, however many cells there are', () => {
    const style = readFileSync('gateway/dashboard/client/places.css', 'utf8')
    const widthOf = (name: string) => {
      const selector = name === '' ? '.map-canvas' : `.map-canvas.${name}`
      const rule = style.split(`\n${selector} {`)[1] ?? expect.fail(`The style has no ${selector}`)
      return Number(/min-width: ([\d.]+)rem/.exec(rule)?.[1]) * REM
    }
    for (const all of [1, 50, 100, 200, 1_000]) {
      const scale = scaleForMost([], all)
      const pixels = (LETTERS_UNITS * scale * widthOf(canvasClass(scale))) / FLOOR_PLAN_UNITS
      expect(pixels, `${all} bookables at ${scale}`).to.be.at.least(READABLE_PX * 0.95)
    }
  })
})
