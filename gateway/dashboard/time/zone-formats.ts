// How instants are written in a time zone: costly to make, so each zone's is made once and kept.

/** Returns what finds the format of a zone. */
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
