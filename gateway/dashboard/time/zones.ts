// Time zones: how their names are shown and offered, and how instants are written in one of them.

/** A format is costly to make: each zone's is made once. Returns what finds it. */
export function createZoneFormat(options: Intl.DateTimeFormatOptions): (zone: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>()
  return (zone) => {
    // Names are known in any letter case, and events bring theirs: a format for each way to write one would fill memory.
    const key = zone.toLowerCase()
    const known = formats.get(key)
    if (known) return known
    const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone })
    formats.set(key, format)
    return format
  }
}

/** A zone as people read it: America/New York. */
export function formatZone(zone: string): string {
  return zone.replaceAll('_', ' ')
}

/** Every zone for a field that chooses one. The present one may have an older name than those of the list. */
export function zoneOptions(present?: string): Array<{ value: string; label: string }> {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])
  const all = present && !names.has(present) ? [present, ...names] : [...names]
  return all.map((name) => ({ value: name, label: formatZone(name) }))
}
