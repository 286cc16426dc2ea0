// The areas and walls of a floor plan, on the page that arranges it: what its script sends, and forms that need none.
import * as yup from 'yup'
import {
  formatShape,
  type PlanShape,
  parseShape,
  SHAPE_NAME_MAX,
  SHAPES_MAX,
  shapeLook,
  TONES,
  type Tone,
} from '../../../../shared/locations/plan-shapes.ts'
import { message } from '../../../../shared/messages/message.ts'
import { exact } from '../../../../shared/messages/strict.ts'
import { list, object, required, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { INKS } from '../../../reads/map/draw-shapes.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { form } from '../../pages/ui/forms.ts'
import { parsePercent, percent } from '../bookables/form.ts'

const line = () =>
  exact(yup.string()).test(
    'shape',
    () => message`An area or a wall needs two corners and a colour.`,
    (value) => value === undefined || parseShape(value) !== undefined,
  )

const lines = () => list(required(line()), { max: SHAPES_MAX })
export const shapesForm = object({ shapes: lines(), before: lines() })
export const oldShapeForm = object({ shape: required(line()) })
export const newShapeForm = object({
  ...shapeLook,
  name: text({ max: SHAPE_NAME_MAX }),
  left: required(percent()),
  top: required(percent()),
  right: required(percent()),
  bottom: required(percent()),
})

export const parseShapes = (given: string[] = []): PlanShape[] =>
  given.flatMap((each) => parseShape(each) ?? [])

export function parseNewShape({
  left,
  top,
  right,
  bottom,
  name = '',
  ...look
}: yup.InferType<typeof newShapeForm>): PlanShape {
  const corners = {
    x1: parsePercent(left),
    y1: parsePercent(top),
    x2: parsePercent(right),
    y2: parsePercent(bottom),
  }
  return { ...look, name, ...(look.kind === 'area' ? inOrder(corners) : corners) }
}

const inOrder = ({ x1, y1, x2, y2 }: Pick<PlanShape, 'x1' | 'y1' | 'x2' | 'y2'>) => ({
  x1: Math.min(x1, x2),
  y1: Math.min(y1, y2),
  x2: Math.max(x1, x2),
  y2: Math.max(y1, y2),
})

const toneOptions = () => {
  const labels: Record<Tone, string> = {
    room: t`Walls, no colour`,
    grey: t`Grey`,
    blue: t`Blue`,
    green: t`Green`,
    yellow: t`Yellow`,
    red: t`Red`,
  }
  return TONES.map((value) => ({ value, label: labels[value] }))
}

/** The tools of the script: what is drawn next, and the name and colour of the selected area. */
export const showShapeTools = (): Html => html`<div class="map-zoom" role="group" aria-label="${t`Draw`}">
<button type="button" data-draw="area" aria-pressed="false" title="${t`Drag on the floor plan to draw a room or a zone`}">${t`Draw area`}</button>
<button type="button" data-draw="wall" aria-pressed="false" title="${t`Drag on the floor plan to draw a wall`}">${t`Draw wall`}</button></div>
<div class="map-bar" data-area hidden><label class="choice tool"><span>${t`Name`}</span> <input type="text" data-area-name maxlength="${SHAPE_NAME_MAX}"></label>
<label class="choice tool"><span>${t`Colour`}</span> <select data-area-tone>${toneOptions().map(({ value, label }) => html`<option value="${value}" data-fill="${INKS[value].fill}" data-line="${INKS[value].line}">${label}</option>`)}</select></label></div>`

/** `data-shapes`: the form by which the script saves all of them. */
export function showShapeForms(call: Call, shapes: PlanShape[]): Html {
  const isOpen = ['add-shape', 'remove-shape', 'set-shapes'].includes(call.refusedForm?.action ?? '')
  return html`<details class="card" data-shape-forms${isOpen ? html` open` : ''}><summary>${t`Rooms, zones and walls`}</summary>
<ul class="rows">${shapes.map((shape, index) => html`<li>${describeShape(shape)} ${form(call, { action: 'remove-shape', key: String(index), submit: t`Remove`, submitLabel: t`Remove ${describeShape(shape)}`, tone: 'quiet', isInline: true }, () => html`<input type="hidden" name="shape" value="${formatShape(shape)}">`)}</li>`)}</ul>
${form(call, { action: 'add-shape', submit: t`Add`, tone: 'quiet' }, (fields) => [
  fields.select('kind', t`Kind`, {
    options: [
      { value: 'area', label: t`Room or zone` },
      { value: 'wall', label: t`Wall` },
    ],
    required: true,
  }),
  fields.text('name', t`Name`, {}),
  fields.select('tone', t`Colour`, { options: toneOptions(), required: true }),
  html`<div class="pair">${fields.text('left', t`From left (%)`, {})}${fields.text('top', t`From top (%)`, {})}</div>`,
  html`<div class="pair">${fields.text('right', t`To, from left (%)`, {})}${fields.text('bottom', t`To, from top (%)`, {})}</div>`,
])}</details>
<div data-shapes hidden>${form(call, { action: 'set-shapes', submit: t`Save` }, () =>
    shapes.map((shape) => html`<input type="hidden" data-shape value="${formatShape(shape)}">`),
  )}</div>`
}

function describeShape({ kind, name }: PlanShape): string {
  if (kind === 'wall') return t`Wall`
  return name === '' ? t`Room or zone` : name
}
