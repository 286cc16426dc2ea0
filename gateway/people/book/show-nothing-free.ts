// Where nothing is free: what else somebody can do.
import { waitedType } from '../../../shared/waits/waits.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../../pages/kit/page.ts'
import { t } from '../../pages/locales/translate.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import type { Wanted } from './wanted.ts'

export const showNothingFree = (call: Call, { floor, time, type }: Wanted): Html =>
  showEmpty(
    t`Nothing is free here at that time.`,
    html`<p>${t`Choose another day, time or floor.`}</p>${waitedType().isValidSync(type) && showLinkOrText(call.link('/waits/new', { location: floor.locationId, type, from: time.from, to: time.to }), t`Wait for a place`, { class: 'button quiet' })}`,
  )
