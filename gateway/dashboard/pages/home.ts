// The first page: leads to where an administrator begins.
import { page } from '../page.ts'

export const home = page({
  path: '/',
  title: 'Berth',
  show: (call) => ({ to: call.link('/settings') }),
})
