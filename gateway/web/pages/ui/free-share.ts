// Says how much is free, such as “3 of 40 desks, 1 of 2 rooms free”.
import { t } from '../../locales/translate.ts'
import { formatList, formatNumber } from './parts.ts'

/** How many places are free. `free` counts places that are free now and open to everybody. */
export type FreeShare = { free: number; total: number }
type FreeNow = { desks: FreeShare; rooms: FreeShare; spots: FreeShare }

/** Describes how much is free. Returns an empty text if nothing can be booked. */
export function describeFreeShares({ desks, rooms, spots }: FreeNow): string {
  const free = [
    describeShare(desks, ([free, all]) => t`${free} of ${all} desks`),
    describeShare(rooms, ([free, all]) => t`${free} of ${all} rooms`),
    describeShare(spots, ([free, all]) => t`${free} of ${all} parking spots`),
  ].flat()
  return free.length === 0 ? '' : t`${formatList(free)} free`
}

const describeShare = (
  { free, total }: FreeShare,
  describe: (numbers: [string, string]) => string,
): string[] => (total === 0 ? [] : [describe([formatNumber(free), formatNumber(total)])])
