// Loads the tools of the floor plan editor that its first view does not need, each in a script of its own: the handles with
// the first selection, the form for rows when it opens, the form for rectangles if the floor plan may have some, and the
// shapes with the first one.
import { closestElement } from '../shared/dom.ts'
import { t } from '../shared/translate.ts'
import type { CellMove, FloorPlan } from './floor-plan.ts'
import { isFree } from './move-input.ts'
import { type MoveSteps, moveCells } from './move-save.ts'
import type { Selection } from './select-cells.ts'

/** Functions that show the tools again after something has changed. A tool has one as soon as it is loaded. */
export type ToolRefreshers = {
  handles?: () => void
  rectangles?: () => void
  rows?: () => void
  shapes?: () => void
}

type EditorParts = {
  page: Element
  floorPlan: FloorPlan
  rows: HTMLDetailsElement
  steps: MoveSteps
  selection: Selection
  say(sentence: string, tone?: string): void
}

export function loadToolsOnUse(parts: EditorParts, refreshers: ToolRefreshers) {
  const { page, floorPlan, rows, steps, selection, say } = parts
  const { cells } = selection
  const move = (moves: CellMove[]) => moveCells(moves, steps)
  const reportFailure = () => say(t`A tool could not be loaded. Check the connection, and try again.`, 'bad')
  const loadOnce = (load: () => Promise<void>) => createLoader(load, reportFailure)

  const loadHandles = loadOnce(async () => {
    const { watchHandles } = await import('./selection-handles.ts')
    const gap = page.querySelector('[data-gap]') as HTMLInputElement
    refreshers.handles = watchHandles({ floorPlan, selection, steps, gap, move, isFree }, say)
  })
  refreshers.handles = () => {
    if (selection.all().length > 0) loadHandles()
  }
  refreshers.handles()

  const loadRows = loadOnce(async () => {
    const { watchRows } = await import('./place-in-rows.ts')
    refreshers.rows = watchRows(rows, floorPlan, cells, move)
  })
  rows.addEventListener('toggle', loadRows)
  if (rows.open) loadRows()

  const card = page.querySelector('[data-rectangles]') as HTMLDetailsElement
  const loadRectangles = loadOnce(async () => {
    const svg = await fetchFloorPlanSvg()
    const tool = svg === undefined ? undefined : await import('./place-in-rectangles.ts')
    const wasOpen = card.open
    // The tool shows the card again if the floor plan has rectangles.
    card.hidden = true
    if (svg !== undefined)
      refreshers.rectangles = tool?.watchRectangles(card, { floorPlan, cells, svg }, move)
    if (!wasOpen) return
    card.open = true
    refreshers.rectangles?.()
  })
  // If the tool could not be loaded, the card is shown, and opening the card loads the tool again.
  card.addEventListener('toggle', () => card.open && loadRectangles())
  loadRectangles().then((isLoaded) => {
    if (!isLoaded) card.hidden = false
  })

  const loadShapes = loadOnce(async () => {
    const { watchShapes } = await import('./plan-shapes.ts')
    refreshers.shapes = watchShapes(page, floorPlan, { selection, steps, say })
  })
  // The server has drawn the shapes, so their script can wait until the first view is complete.
  if (page.querySelector('[data-shape]')) addEventListener('load', loadShapes)
  loadBeforeDrawing(page, loadShapes)
}

/** Loads the shapes when a button for drawing is pressed, and then repeats the click for their script. */
function loadBeforeDrawing(page: Element, loadShapes: () => Promise<boolean>) {
  const load = async (event: Event) => {
    const button = closestElement(event, '[data-draw]')
    if (!button) return
    // Stops scripts that have been loaded in the meantime from handling this click too.
    event.stopPropagation()
    if (!(await loadShapes())) return
    page.removeEventListener('click', load, { capture: true })
    // The detail says whether a key or a pointer has pressed the button.
    button.dispatchEvent(new MouseEvent('click', { detail: (event as MouseEvent).detail, bubbles: true }))
  }
  page.addEventListener('click', load, { capture: true })
}

/** Returns a function that loads a tool when it is first called, and again if that has failed. It returns whether the
 * tool is loaded. */
function createLoader(load: () => Promise<void>, reportFailure: () => void): () => Promise<boolean> {
  let loading: Promise<boolean> | undefined
  const report = () => {
    loading = undefined
    reportFailure()
    return false
  }
  return () => {
    loading ??= load().then(() => true, report)
    return loading
  }
}

/** Returns the text of the floor plan if it is an SVG file. */
async function fetchFloorPlanSvg(): Promise<string | undefined> {
  const address = document.querySelector('.map-floor-plan image')?.getAttribute('href')
  const response = address ? await fetch(address) : undefined
  if (response && !response.ok)
    throw new Error(`The request for the floor plan was answered with ${response.status}.`)
  return response?.headers.get('Content-Type')?.startsWith('image/svg+xml') ? response.text() : undefined
}
