// Scalar mathematics for kernels: luth::math, which operators and devices share.
#pragma once
#include "core/math.h"
