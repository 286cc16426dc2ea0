// The slider for the size of all cells on a floor plan: they follow it at once, and their size is saved when it is let go.
import { sendForm } from './dom.ts'
import type { Cell, FloorPlan } from './floor-plan.ts'
import { t } from './translate.ts'

// The width of an unscaled cell (gateway/api/livemap/map-layouts.ts).
const CELL_WIDTH = 132

export function watchSize(
  page: Element,
  floorPlan: FloorPlan,
  cells: Cell[],
  { say, onChange }: { say(sentence: string, tone?: string): void; onChange(): void },
) {
  const slider = page.querySelector<HTMLInputElement>('[data-size]')
  const form = page.querySelector<HTMLFormElement>('[data-cell-width] form')
  if (!slider || !form) return
  const field = form.elements.namedItem('cell_width') as HTMLInputElement
  slider.value = String((floorPlan.scale * CELL_WIDTH * 100) / floorPlan.width)
  slider.addEventListener('input', () => {
    floorPlan.scale = (Number(slider.value) * floorPlan.width) / 100 / CELL_WIDTH
    for (const cell of cells) if (cell.shown) cell.show(cell.shown)
    onChange()
  })
  slider.addEventListener('change', async () => {
    const problem = await sendForm(form, (body) => body.set('cell_width', slider.value))
    if (problem === undefined) field.value = slider.value
    say(problem ?? t`Size saved.`, problem === undefined ? 'good' : 'bad')
  })
}
