-- Makes the pages of the reference, the definitions for editors and the manual page in the folder share beside the program
-- that runs this, where they have changed. The build does so.
require('luth.reference').write(require('luth.native').share_dir() .. '/..')
