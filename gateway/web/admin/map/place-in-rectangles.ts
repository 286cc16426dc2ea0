// The card that places desks on the rectangles of an SVG floor plan. Its script shows the card if the plan has
// rectangles (browser/floor-plan-editor/place-in-rectangles.ts). Without scripts, administrators use “Place in rows”
// instead.
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'

export const showRectanglesCard =
  (): Html => html`<details class="card" data-rectangles hidden><summary>${t`Place where the plan has rectangles`}</summary>
<p>${t`The floor plan has rectangles that may be desks. Desks are placed row by row, in the order of their names, and get the size of the rectangles.`}</p>
<div class="field"><label for="rectangles-size">${t`Rectangles`}</label><select id="rectangles-size" name="size"></select></div>
<div class="field"><label for="rectangles-of">${t`Desks to place`}</label><select id="rectangles-of" name="of"><option value="waiting">${t`Desks not yet on the floor plan`}</option><option value="all">${t`All desks of the floor`}</option></select></div>
<p role="status"></p><div class="buttons"><button type="button" class="button quiet">${t`Place desks`}</button></div></details>`
