const asked = sessionStorage.getItem('foldwise')
sessionStorage.removeItem('foldwise')
if (asked && asked !== location.href) location.replace(asked)
