// Says how much is free: “3 of 40 desks, 1 of 2 rooms free”.
import { t } from '../../locales/translate.ts'
import { formatList, formatNumber } from './parts.ts'

/** `free` counts what nobody has now and everybody may book. */
export type Share = { free: number; total: number }
type FreeNow = { desks: Share; rooms: Share; spots: Share }

/** Empty if nothing can be booked. */
export function describeFree({ desks, rooms, spots }: FreeNow): string {
  const free = [
    describeShare(desks, ([free, all]) => t`${free} of ${all} desks`),
    describeShare(rooms, ([free, all]) => t`${free} of ${all} rooms`),
    describeShare(spots, ([free, all]) => t`${free} of ${all} parking spots`),
  ].flat()
  return free.length === 0 ? '' : t`${formatList(free)} free`
}

const describeShare = ({ free, total }: Share, describe: (numbers: [string, string]) => string): string[] =>
  total === 0 ? [] : [describe([formatNumber(free), formatNumber(total)])]
