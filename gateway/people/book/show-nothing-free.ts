// Where nothing is free: what else somebody can do.
import type { Call } from '../../dashboard/kit/page.ts'
import { t } from '../../dashboard/locales/translate.ts'
import { showEmpty } from '../../dashboard/ui/states.ts'
import type { Html } from '../../http/html.ts'
import type { Wanted } from './wanted.ts'

export const showNothingFree = (_call: Call, _wanted: Wanted): Html =>
  showEmpty(t`Nothing is free here at that time.`, t`Choose another day, time or floor.`)
